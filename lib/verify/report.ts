import type { Verdict } from "./run-checks.ts";

const marks: Record<Verdict["outcome"], string> = { passed: "pass", failed: "FAIL", skipped: "skip" };

/** A line for the check, and one for the reason if there is one. */
export function verdictLines({ says, outcome, reason }: Verdict): string[] {
  return [`  ${marks[outcome]}  ${says}`, ...(reason === undefined ? [] : [`        ${reason}`])];
}

/** The counts, and what the operator should do next. */
export function nextSteps(
  verdicts: readonly Verdict[],
  { isLocal, calls }: { isLocal: boolean; calls: number },
): string[] {
  const count = (outcome: Verdict["outcome"]) =>
    verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const failed = count("failed");
  const counts = `passed: ${count("passed")}, failed: ${failed}, skipped: ${count("skipped")}, calls: ${calls}`;
  const steps = [
    ...(failed > 0
      ? [
          "An assumption is wrong. Do not send users here before docs/verify-live.md explains it or it is fixed.",
        ]
      : []),
    ...(isLocal
      ? ["This was the local runner. After a deploy, run npm run verify -- --stack TerminalApi."]
      : [
          "Make the skipped checks: those by hand as in docs/verify-live.md, the others as their reasons say.",
          "Run the end-to-end suite against the deployment, as in docs/operations.md.",
          "Run this again two days after a first deploy, when every alarm has a state.",
        ]),
  ];
  return [counts, ...steps.map((step) => `- ${step}`)];
}
