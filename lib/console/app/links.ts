import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Links } from "./sign-in/config.ts";

/** Links that config.json names. */
export const LinksContext = createContext<Links>({});

export const useLinks = (): Links => useContext(LinksContext);
