import { terminalApp } from "../lib/infra/app.ts";
import { ConfigurationError } from "../lib/infra/config.ts";

try {
  terminalApp().synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exit(1);
}
