//! The applications that the server is given.

/// Two processes and one message.
pub const TINY: &str = r#"local n = param("n", 1)
label{ "one", count = 2, run = function(rank)
  if rank == 0 then send{ to = 1, size = n } else recv{ from = 0 } end
end }
"#;

/// What a sweep of one of these is called with.
pub const SWEEP: &str = "sim sweep --loggops L=1us,o=1us";

/// The same, after so many turns that only cost time.
pub fn busy(turns: u64) -> String {
    format!("local sum = 0\nfor turn = 1, {turns} do sum = (sum + turn) % 1000003 end\n{TINY}")
}

/// 50,928 calls of the application interface, none of them in a loop of the simulator.
pub const CALLS: &str = r#"local rounds, k = 12732, param("k", 1)
label{ "one", count = 100, run = function()
  for i = 1, rounds do compute{ time = k * 1e-3 + i * 1e-8 }; p2p_send{ to = "other", size = 1000 } end
end }
label{ "other", count = 100, run = function()
  for i = 1, rounds do p2p_recv{ from = "one" }; compute{ time = 2e-3 } end
end }
"#;
