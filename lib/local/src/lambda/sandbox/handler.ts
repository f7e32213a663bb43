import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type Handler = (event: unknown, context: object) => unknown;

/** A failure that Lambda's runtime reports, with a name such as `Runtime.HandlerNotFound`. */
export class RuntimeError extends Error {
  constructor(name: `Runtime.${string}`, message: string) {
    super(message);
    this.name = name;
  }
}

/** Describes a thrown value to the caller, as JSON of `{errorType, errorMessage, trace}`. */
export function errorPayload(thrown: unknown): string {
  const { errorType, errorMessage, trace } =
    thrown instanceof Error
      ? { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split("\n") ?? [] }
      : { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return JSON.stringify({ errorType, errorMessage, trace });
}

const CALLBACK_PARAMETERS = 3;

/**
 * Loads the handler `file.export` from the ES module `file.mjs`, which may be in a subfolder.
 * @throws {RuntimeError} or any value that the code throws while it loads
 */
export async function loadHandler(codeFolder: string, name: string): Promise<Handler> {
  const [, file, exported] = /^((?:.*\/)?[^./]+)\.([^.]+)$/.exec(name) ?? [];
  if (file === undefined || exported === undefined) {
    throw new RuntimeError("Runtime.MalformedHandlerName", `Bad handler ${name}`);
  }
  const handler = (await load(codeFolder, `${file}.mjs`))[exported];
  if (handler === undefined) {
    throw new RuntimeError("Runtime.HandlerNotFound", `${name} is undefined or not exported`);
  }
  if (typeof handler !== "function") {
    throw new RuntimeError("Runtime.HandlerNotFound", `${name} is not a function`);
  }
  if (handler.length >= CALLBACK_PARAMETERS) {
    throw new RuntimeError(
      "Runtime.CallbackHandlerDeprecated",
      `${name} takes a callback, which Lambda does not pass from Node.js 24 on`,
    );
  }
  return handler as Handler;
}

async function load(codeFolder: string, file: string): Promise<Record<string, unknown>> {
  const path = join(codeFolder, file);
  if (!existsSync(path)) {
    throw new RuntimeError(
      "Runtime.ImportModuleError",
      `Error: Cannot find module '${file}'. The runner loads ES modules (.mjs) only`,
    );
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
