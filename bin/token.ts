/** `npm run -s token`: prints an access token for the running service. */
import { main } from "../lib/dev/token.ts";

process.exitCode = await main(process.argv.slice(2), process);
