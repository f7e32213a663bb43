import { runnerProcess } from "./deployment.ts";

// Waits until the runner answers: the global set-up only starts it.
await runnerProcess("GET");
