import { runnerProcess } from "./deployment.ts";

// Waits until the runner serves: the global set-up only starts it.
await runnerProcess("GET");
