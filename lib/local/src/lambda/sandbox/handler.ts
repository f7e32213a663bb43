import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RuntimeError } from "./runtime-error.ts";

export type Handler = (event: unknown, context: object) => unknown;

const EXTENSIONS = [".js", ".mjs", ".cjs"];
const CALLBACK_PARAMETERS = 3;

/**
 * Loads `file.export`, where the file may lie in folders and the export in an object.
 * @throws RuntimeError, or whatever the code throws while it loads
 */
export async function loadHandler(codeFolder: string, name: string): Promise<Handler> {
  const [, file, path] = /^((?:.*\/)?[^./]+)\.(.+)$/.exec(name) ?? [];
  if (file === undefined || path === undefined) {
    throw new RuntimeError("Runtime.MalformedHandlerName", `Bad handler ${name}`);
  }
  const handler = path
    .split(".")
    .reduce<unknown>(
      (found, key) => (found as Record<string, unknown> | undefined)?.[key],
      await load(codeFolder, file),
    );

  if (handler === undefined) {
    throw new RuntimeError("Runtime.HandlerNotFound", `${name} is undefined or not exported`);
  }
  if (typeof handler !== "function") {
    throw new RuntimeError("Runtime.HandlerNotFound", `${name} is not a function`);
  }
  if (handler.length >= CALLBACK_PARAMETERS) {
    throw new RuntimeError(
      "Runtime.CallbackHandlerDeprecated",
      `${name} takes a callback, which Lambda no longer gives from Node.js 24 on`,
    );
  }
  return handler as Handler;
}

async function load(codeFolder: string, file: string): Promise<unknown> {
  const path = EXTENSIONS.map((extension) => join(codeFolder, file + extension)).find(existsSync);
  if (path === undefined) {
    throw new RuntimeError("Runtime.ImportModuleError", `Error: Cannot find module '${file}'`);
  }
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RuntimeError("Runtime.UserCodeSyntaxError", String(error));
    if ((error as NodeJS.ErrnoException)?.code === "ERR_MODULE_NOT_FOUND") {
      throw new RuntimeError("Runtime.ImportModuleError", String(error));
    }
    throw error;
  }
}
