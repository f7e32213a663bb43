import type { TokenNames } from "../../../orders/token-likeness.ts";
import type { ToKeyedText } from "../../hosts/keyed-text.ts";
import type { SolClient } from "../calls/hosts.ts";
import type { SolConfiguration } from "../rules/configuration.ts";
import type { JupiterClient } from "./jupiter-client.ts";

export type SolReader = {
  family: "sol";
  chain: "sol";
  configuration: SolConfiguration;
  client: SolClient;
  /** Fills keys into the relay's URL. If absent, the URL needs none. */
  keyed?: ToKeyedText;
  taken?: readonly TokenNames[];
  /** Absent if orders trade only with Raydium CPMM pools. */
  jupiter?: JupiterClient | undefined;
  /** Receives the reason why an answer of Jupiter cannot be used. Orders then use other routes. */
  onJupiterFault: (fault: unknown) => void;
};
