//! Agents and a NATS server as processes of this machine, and what holds of every point that hosts have shared.

use crate::support::Room;
use rustix::process::Pid;
use serde_json::Value;

/// Agents of this machine, until it is dropped.
pub(crate) struct LocalFleet<'r> {
    room: &'r Room,
}

impl<'r> LocalFleet<'r> {
    pub(crate) fn up(room: &'r Room, agents: u32, target: &str) -> Self {
        let up = room.run(&format!("fleet up {agents} --target {target} -q")).expect(0);
        assert!(up.stdout.contains("of the fleet `fleet` run here"), "{}", up.stdout);
        Self { room }
    }

    /// One that was started otherwise.
    pub(crate) fn found(room: &'r Room) -> Self {
        Self { room }
    }

    pub(crate) fn record(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.room.path("home/fleet/fleet.json")).unwrap()).unwrap()
    }

    pub(crate) fn agent(&self, n: usize) -> Pid {
        Pid::from_raw(i32::try_from(self.record()["agents"][n]["pid"].as_i64().unwrap()).unwrap()).unwrap()
    }

    pub(crate) fn server(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.record()["server"]["pid"].as_i64().unwrap()).unwrap()).unwrap()
    }
}

impl Drop for LocalFleet<'_> {
    fn drop(&mut self) {
        self.room.run("fleet down -q");
    }
}

fn sum(agents: &Value, key: &str) -> u64 {
    agents.as_array().unwrap().iter().map(|agent| agent[key].as_u64().unwrap()).sum()
}

/// What holds of every point that hosts have shared.
#[track_caller]
pub(crate) fn is_shared(point: &Value, hosts: usize) {
    assert_eq!(point["status"], "ok", "{point:#}");
    let agents = &point["agents"];
    assert_eq!(agents.as_array().unwrap().len(), hosts);
    assert_eq!(sum(agents, "jobs"), point["jobs"].as_u64().unwrap());
    // What the server counted is the sum of what all hosts did, or the point would not be ok.
    assert_eq!(sum(agents, "ops_total"), point["ops_total"].as_u64().unwrap());
    assert_eq!(point["outcomes"]["requests"], point["outcomes"]["ok"]);
    for agent in agents.as_array().unwrap() {
        assert!(agent["clock_bound_s"].as_f64().unwrap() > 0.0, "{agent}");
        assert!(agent["host"]["busy_pct"].is_number() && agent["started_after_s"].is_number(), "{agent}");
    }
}
