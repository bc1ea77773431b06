# dbdyno for embedded databases and for servers at an address: docs/install.md, "Image". `cargo xtask test --only image` follows the steps.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --locked --release --package dbdyno

FROM debian:bookworm-slim
# The authorities that the system trusts, for servers with TLS.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 dbdyno \
    && install --directory --owner=dbdyno --group=dbdyno /data
COPY --from=build /src/target/release/dbdyno /usr/local/bin/dbdyno
COPY studies /usr/local/share/dbdyno/studies
COPY workloads /usr/local/share/dbdyno/workloads
USER dbdyno
# Results, and the embedded databases under test: a volume, so that they lie on the disk and not in the container's layers.
ENV TMPDIR=/data
WORKDIR /data
VOLUME /data
ENTRYPOINT ["dbdyno"]
CMD ["--help"]
