import { readFileSync } from "node:fs";
import type { Route } from "cdk-local-runner";
import { referencePolicy, siteFiles } from "../documents/site/site.ts";
import { staticPages } from "./static-pages.ts";

/** The path of the reference pages, on the port of the API. */
const REFERENCE = "/docs";

/** Serves the reference pages that `npm run documents -- --site DIR` writes. */
export function referencePages(): Route {
  const files = siteFiles((name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8"));
  return staticPages(REFERENCE, () => files, referencePolicy);
}
