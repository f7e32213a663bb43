import { flag } from "./context-values.ts";

/** Keys of the context that decide whether wallets can outlive their region. */
export const regionContext = {
  multiRegionKey: flag(true),
};
