import { requestToken } from "cdk-local-runner";
import type { Page, Request } from "playwright-core";
import { beforeAll, inject } from "vitest";
import { type VisitOptions, visitsForTests } from "../../../lib/console/test/support/browser.ts";

export { openList, openSide, rowsOf } from "../../../lib/console/test/support/desk.ts";

/** Connects a file's tests to the browser, once the runner serves. All files share it and one local runner. */
export function browserForTests() {
  const { control, ...runner } = inject("runner");
  const visit = visitsForTests();
  beforeAll(async () => {
    const answer = await fetch(control);
    if (!answer.ok) throw new Error(await answer.text());
  });
  return {
    runner,
    /** Opens a page of the runner or another address. Creates a new browser context unless one is given. */
    visit: (path = "/console/", options: VisitOptions = {}) =>
      visit(new URL(path, runner.baseUrl).href, options),
  };
}

/** Signs in to the console, as if the issuer's page were open in another tab, which takes no time to load. */
export async function signIn(page: Page, user: string): Promise<void> {
  await answerSignIn(page, user);
  await page.getByText("Live", { exact: true }).waitFor();
}

/** Signs in at the issuer for a page or dialog that asks for it. */
export async function answerSignIn(page: Page, user: string): Promise<void> {
  const url = (await page.getByRole("link", { name: "Sign in" }).getAttribute("href")) ?? "";
  const body = new URLSearchParams(new URL(url).search);
  body.set("user", user);
  const { headers } = await fetch(url, { method: "POST", body, redirect: "manual" });
  const answer = new URL(headers.get("location") ?? "").search;
  await page.evaluate(
    (text) => new BroadcastChannel("sign-in").postMessage({ type: "answer", answer: text }),
    answer,
  );
}

/** Returns what makes a page's request the first one after the sign-in has ended. */
export async function endedSignIn(page: Page, user: string) {
  await page.evaluate("sessionStorage.removeItem('refresh-token')");
  const port = Number(new URL(inject("runner").baseUrl).port);
  const expired = await requestToken(port, { sub: user, expiresIn: -60 });
  return (request: Request) => ({ headers: { ...request.headers(), authorization: `Bearer ${expired}` } });
}
