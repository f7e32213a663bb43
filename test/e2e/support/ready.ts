import { runnerProcess } from "./deployment.ts";

// Waits until the runner serves, because the global set-up only starts it.
await runnerProcess("GET");
