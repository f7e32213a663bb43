import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathOf, type Route } from "cdk-local-runner";
import { buildGallery, consolePath, pagePolicy, writeConsole } from "trading-terminal-console";
import { staticPages } from "./static-pages.ts";

const galleryPath = "/gallery";

/**
 * Serves the gallery of the console's components, which is built on its first visit, because most runs never show it.
 *
 * @param isWatched Builds it again on each reload.
 */
export function galleryPages(isWatched: boolean): Route {
  let built: ReturnType<typeof buildGallery> | undefined;
  const files = (name: string) => {
    if (built === undefined || (isWatched && name === "index.html")) built = buildGallery(galleryPath);
    return built;
  };
  return staticPages(galleryPath, files, pagePolicy());
}

/** Builds the console again before each reload of its page, into the running assembly. It answers no request itself. */
export function consoleReloads(assembly: string): Route {
  const asset = readdirSync(assembly)
    .map((name) => join(assembly, name))
    .find((folder) => ["index.html", "manifest.json"].every((name) => existsSync(join(folder, name))));
  return (request) => {
    const path = pathOf(request);
    if (asset !== undefined && path.startsWith(`${consolePath}/`) && !path.includes(".")) writeConsole(asset);
    return undefined;
  };
}
