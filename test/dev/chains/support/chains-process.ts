/** The chains in a process of their own: `node chains-process.ts <folder> <port>`. Sends its parent a message when they run. */
import { openLocalChains } from "../../../../lib/dev/chains/local-chains.ts";

const [, , folder, port] = process.argv;
const chains = await openLocalChains({ port: Number(port), folder, blockMs: 20 });
await chains.start();
process.send?.("started");
