/** `npm start`: runs the service on this machine until Ctrl-C. */
import { start, stopOnSignal } from "cdk-local-runner";
import { main } from "../lib/dev/local.ts";

// Whatever this process and its children write is for its owner only.
process.umask(0o077);
const { stdout, stderr } = process;
const status = await main(process.argv.slice(2), { stdout, stderr, start, stopOnSignal });
if (status !== 0) process.exit(status);
