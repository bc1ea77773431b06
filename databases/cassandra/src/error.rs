//! Cassandra's errors, by class. Codes: `native_protocol_v5.spec` of Apache Cassandra, section 9.

use dbdyno_driver::{DbError, ErrorClass};
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, DbError as Answer, ExecutionError,
    MetadataError, NewSessionError, PrepareError, RequestAttemptError,
};

/// The error of connecting.
pub(crate) fn of_connecting(error: NewSessionError, hosts: &str) -> DbError {
    let class = match &error {
        NewSessionError::FailedToResolveAnyHostname(_) => ErrorClass::Unavailable,
        NewSessionError::MetadataError(error) => of_metadata(error),
        _ => ErrorClass::Rejected,
    };
    worded(class, &error, hosts).with_source(error)
}

/// The error of an operation.
pub(crate) fn of_execution(error: ExecutionError, hosts: &str) -> DbError {
    let class = match &error {
        ExecutionError::RequestTimeout(_) => ErrorClass::Timeout,
        ExecutionError::ConnectionPoolError(error) => of_pool(error),
        // No node is known to be up.
        ExecutionError::EmptyPlan => ErrorClass::Unavailable,
        ExecutionError::LastAttemptError(error) => of_attempt(error),
        ExecutionError::PrepareError(error) => class_of_preparing(error),
        ExecutionError::SchemaAgreementError(_) => ErrorClass::Timeout,
        ExecutionError::MetadataError(error) => of_metadata(error),
        ExecutionError::BadQuery(_) => ErrorClass::Rejected,
        _ => ErrorClass::Bug,
    };
    worded(class, &error, hosts).with_source(error)
}

/// The error of preparing a statement.
pub(crate) fn of_preparing(error: PrepareError, hosts: &str) -> DbError {
    worded(class_of_preparing(&error), &error, hosts).with_source(error)
}

/// An answer of another shape than the statement has.
pub(crate) fn unexpected(error: impl std::error::Error + Send + Sync + 'static, hosts: &str) -> DbError {
    DbError::new(
        ErrorClass::Bug,
        format!("Cassandra at {hosts} gave an unexpected answer: {error}"),
    )
    .with_source(error)
}

fn worded(class: ErrorClass, error: &dyn std::error::Error, hosts: &str) -> DbError {
    let advice = match class {
        ErrorClass::Auth => {
            "; check user and password (password_file, password_env) and what the user may do"
        }
        ErrorClass::NotFound => "; load the table first",
        _ => "",
    };
    DbError::new(class, format!("Cassandra at {hosts}: {error}{advice}"))
}

fn class_of_preparing(error: &PrepareError) -> ErrorClass {
    match error {
        PrepareError::ConnectionPoolError(error) => of_pool(error),
        PrepareError::AllAttemptsFailed { first_attempt } => of_attempt(first_attempt),
        _ => ErrorClass::Bug,
    }
}

fn of_metadata(error: &MetadataError) -> ErrorClass {
    match error {
        MetadataError::ConnectionPoolError(error) => of_pool(error),
        _ => ErrorClass::Unavailable,
    }
}

fn of_pool(error: &ConnectionPoolError) -> ErrorClass {
    match error {
        ConnectionPoolError::Broken {
            last_connection_error: ConnectionError::ConnectionSetupRequestError(error),
        } => match error.get_error() {
            ConnectionSetupRequestErrorKind::DbError(answer, words) => of_answer(answer, words),
            ConnectionSetupRequestErrorKind::MissingAuthentication
            | ConnectionSetupRequestErrorKind::StartAuthSessionError(_)
            | ConnectionSetupRequestErrorKind::AuthChallengeEvaluationError(_)
            | ConnectionSetupRequestErrorKind::AuthFinishError(_) => ErrorClass::Auth,
            _ => ErrorClass::Unavailable,
        },
        _ => ErrorClass::Unavailable,
    }
}

fn of_attempt(error: &RequestAttemptError) -> ErrorClass {
    match error {
        RequestAttemptError::DbError(answer, words) => of_answer(answer, words),
        RequestAttemptError::BrokenConnectionError(_) => ErrorClass::Unavailable,
        // Every request that a connection can carry is under way.
        RequestAttemptError::UnableToAllocStreamId => ErrorClass::Overloaded,
        RequestAttemptError::SerializationError(_) | RequestAttemptError::CqlRequestSerialization(_) => {
            ErrorClass::Rejected
        }
        _ => ErrorClass::Bug,
    }
}

fn of_answer(answer: &Answer, words: &str) -> ErrorClass {
    match answer {
        Answer::ReadTimeout { .. } | Answer::WriteTimeout { .. } => ErrorClass::Timeout,
        Answer::Unavailable { .. }
        | Answer::ReadFailure { .. }
        | Answer::WriteFailure { .. }
        | Answer::IsBootstrapping => ErrorClass::Unavailable,
        Answer::Overloaded | Answer::RateLimitReached { .. } => ErrorClass::Overloaded,
        Answer::AuthenticationError | Answer::Unauthorized => ErrorClass::Auth,
        Answer::AlreadyExists { .. } => ErrorClass::Conflict,
        // The protocol has no code of its own for a missing table; these are the server's words for it.
        Answer::Invalid | Answer::ConfigError
            if words.contains("unconfigured table")
                || words.contains("does not exist")
                || words.contains("doesn't exist") =>
        {
            ErrorClass::NotFound
        }
        Answer::Invalid | Answer::ConfigError | Answer::SyntaxError | Answer::TruncateError => {
            ErrorClass::Rejected
        }
        _ => ErrorClass::Bug,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_answers_has_its_class() {
        let class = |answer, words: &str| of_answer(&answer, words);
        assert_eq!(class(Answer::Overloaded, ""), ErrorClass::Overloaded);
        assert_eq!(class(Answer::Unauthorized, ""), ErrorClass::Auth);
        assert_eq!(
            class(Answer::Invalid, "unconfigured table t"),
            ErrorClass::NotFound
        );
        assert_eq!(
            class(Answer::Invalid, "Undefined column name"),
            ErrorClass::Rejected
        );
        assert_eq!(class(Answer::ServerError, ""), ErrorClass::Bug);
    }
}
