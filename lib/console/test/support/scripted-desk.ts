import type { Page } from "playwright-core";
import { inject } from "vitest";
import { type Visit, type VisitOptions, visitsForTests } from "./browser.ts";
import { type Scripted, type ScriptedStream, scriptService } from "./scripted-service.ts";

export type DeskOptions = VisitOptions &
  Scripted & {
    /** Prepares the page, such as by further answers, before it is opened. */
    prepare?: (page: Page) => Promise<unknown>;
    /** What the page's address names. */
    query?: string;
  };

export type ScriptedDesk = Visit & { stream: ScriptedStream };

/**
 * Connects the tests of a file to the console with a scripted service.
 *
 * @returns a function that opens the desk of a user, in a new browser context if none is given
 */
export function desksForTests(): (options?: DeskOptions) => Promise<ScriptedDesk> {
  const visit = visitsForTests();
  return async ({ prepare, query = "", ...options } = {}) => {
    const visited = await visit("about:blank", options);
    const { page } = visited;
    const stream = await scriptService(page, options);
    await prepare?.(page);
    await page.goto(`${inject("consoleOrigin")}/${query}`);
    await page.getByText("Live", { exact: true }).waitFor();
    return { ...visited, stream };
  };
}

/** Returns an answer of the service with data. */
export const answered = (data: object) => ({ json: { success: true, data } });

/** Returns a refusal of the service. */
export const refused = (status: number, code: string, message: string, details?: object) => ({
  status,
  json: { success: false, error: { code, message, ...(details && { details }) } },
});
