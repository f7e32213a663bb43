import { browserStore, tabStore } from "../stores.ts";
import { Account } from "./account.ts";
import { type Links, readConfig, SignInError } from "./config.ts";
import { openIssuer } from "./issuer.ts";

/** An account and whether its user is signed in. `elsewhere` means that another tab continues that sign-in. */
type Opened = { outcome: "in" | "out" | "elsewhere"; account: Account; problem?: string };

/** The first state of the page. */
export type Opening =
  | (Opened & { links: Links })
  /** Nothing works until the service or its issuer answers. The problem is a sentence. */
  | { outcome: "failed"; problem: string };

/** Address of the page, to which the issuer returns the user. */
const pagePath = "/console/";

/** Takes the issuer's answer out of the page's address, so that it stays neither in the history nor on the screen. */
export function takeAnswer(): URLSearchParams | undefined {
  const answer = new URLSearchParams(location.search);
  if (!answer.has("state") || !(answer.has("code") || answer.has("error"))) return undefined;
  history.replaceState(null, "", pagePath);
  return answer;
}

/** Continues a sign-in: by the issuer's answer if there is one, or else by what the tab keeps. */
export async function openAccount(answer: URLSearchParams | undefined): Promise<Opening> {
  try {
    const config = await readConfig(`${pagePath}config.json`);
    const issuer = openIssuer(config, { pageUrl: location.origin + pagePath });
    const account = new Account({ issuer, tab: tabStore, browser: browserStore, channel: openChannel() });
    const opened = answer === undefined ? await resumed(account) : await afterAnswer(account, answer);
    return { ...opened, links: config };
  } catch (error) {
    return { outcome: "failed", problem: textOf(error) };
  }
}

const resumed = async (account: Account): Promise<Opened> => ({
  account,
  outcome: (await account.resume()) ? "in" : "out",
});

async function afterAnswer(account: Account, answer: URLSearchParams): Promise<Opened> {
  try {
    const attempt = await account.finish(answer);
    if (attempt !== undefined) {
      history.replaceState(null, "", attempt.returnTo);
      return { account, outcome: "in" };
    }
  } catch (error) {
    return { account, outcome: "out", problem: textOf(error) };
  }
  if (await account.handOver(answer)) return { account, outcome: "elsewhere" };
  const problem = "This page did not begin that sign-in, so it was ignored. Sign in here.";
  return { account, outcome: "out", problem };
}

export function textOf(error: unknown): string {
  if (error instanceof SignInError) return error.message;
  return `The sign-in failed: ${error instanceof Error ? error.message : "unknown reason"}.`;
}

function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel("sign-in");
  } catch {
    return undefined;
  }
}
