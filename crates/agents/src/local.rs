//! A NATS server and agents on this machine, for a try: `--agents local:4`.

use std::process::{Child, Command, Stdio};

use dbdyno_engine::Stop;
use dbdyno_lab::{
    InstanceRequest, Keep, Lab, LabError, LabHome, Progress, ServerRequest, bound_child, random_password, up,
};

use crate::address::AgentsAddress;
use crate::error::AgentsError;
use crate::server::NatsRecipe;

/// The variable in which agents find the token.
const TOKEN: &str = "DBDYNO_AGENTS_TOKEN";

/// A NATS server of this process, with a token that nobody else knows; it ends with the process, however that ends.
pub struct LocalServer {
    lab: Lab,
    token: String,
}

/// A NATS server and agents of this process; they end with it.
pub struct LocalAgents {
    agents: Vec<Child>,
    // Ends after the agents.
    server: LocalServer,
}

impl LocalServer {
    /// Starts one.
    ///
    /// # Errors
    /// When it cannot be fetched or started.
    pub fn start(home: &LabHome, progress: &mut dyn Progress, stop: &Stop) -> Result<Self, AgentsError> {
        let mut request = ServerRequest::parse("nats").map_err(refused)?;
        let token = random_password().map_err(refused)?;
        request.options.insert("password".to_owned(), token.clone());
        let instance = InstanceRequest {
            recipe: &NatsRecipe,
            request: &request,
            home,
            keep: Keep::UntilDropped,
        };
        let lab = up(&instance, progress, &|| stop.is_requested()).map_err(refused)?;
        Ok(Self { lab, token })
    }

    /// Its address, with the token.
    ///
    /// # Errors
    /// Never: the recipe writes it.
    pub fn address(&self) -> Result<AgentsAddress, AgentsError> {
        self.lab.address().parse()
    }

    /// Its address as text, with the token: for other clients of the server.
    #[must_use]
    pub fn url(&self) -> &str {
        self.lab.address()
    }

    /// The lab's instance, for tests that stop it and start it again.
    pub fn lab(&mut self) -> &mut Lab {
        &mut self.lab
    }

    /// Its host and port.
    fn place(&self) -> &str {
        self.lab.address().rsplit('@').next().unwrap_or_default()
    }
}

impl LocalAgents {
    /// Where they can be found.
    ///
    /// # Errors
    /// See [`LocalServer::address`].
    pub fn address(&self) -> Result<AgentsAddress, AgentsError> {
        self.server.address()
    }
}

impl Drop for LocalAgents {
    fn drop(&mut self) {
        for agent in &mut self.agents {
            // They have nothing to finish: the fleet released them.
            let _ = agent.kill();
            let _ = agent.wait();
        }
    }
}

fn refused(error: LabError) -> AgentsError {
    AgentsError::server(error.message).help(error.help)
}

/// Starts a NATS server and so many agents, of this program.
///
/// # Errors
/// When the server cannot be fetched or started, or a process cannot.
pub fn start_local(
    count: u32,
    home: &LabHome,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<LocalAgents, AgentsError> {
    let server = LocalServer::start(home, progress, stop)?;
    let program = std::env::current_exe()
        .map_err(|error| AgentsError::server(format!("this program does not know where it lies: {error}")))?;
    let mut local = LocalAgents {
        agents: Vec::new(),
        server,
    };
    let join = format!("nats://{}?password_env={TOKEN}", local.server.place());
    for number in 1..=count {
        let mut command = Command::new(&program);
        command
            .args(["agent", "--quiet", "--join", &join])
            .args([
                "--name",
                &format!("local-{number}"),
                "--number",
                &number.to_string(),
            ])
            .env(TOKEN, &local.server.token)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let agent = bound_child(command)
            .map_err(|error| AgentsError::server(format!("an agent cannot be started: {error}")))?;
        local.agents.push(agent);
    }
    Ok(local)
}
