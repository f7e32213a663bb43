import { runnerProcess } from "./deployment.ts";

// The runner starts while other tests run.
await runnerProcess("GET");
