/** Milliseconds without input after which a reload interrupts nobody. */
const idleMs = 30_000;

/**
 * True if a page is the console, but lacks a file of this build.
 *
 * @param files Files of this build, whose names contain hashes.
 */
export const isOtherBuild = (files: readonly string[], page: string): boolean =>
  page.includes('id="console"') && files.some((file) => !page.includes(`"${file}"`));

type Moment = {
  /** State of the only order that the page places at a time. */
  placing: { isBusy: boolean; unanswered: object | undefined };
  /** True if a dialog is open, or something is shown that a reload would lose. */
  hasUnsaved: boolean;
  isHidden: boolean;
  msSinceInput: number;
};

/** True if a reload neither interrupts an order nor the user. */
export const mayReload = ({ placing, hasUnsaved, isHidden, msSinceInput }: Moment): boolean =>
  !placing.isBusy && placing.unanswered === undefined && !hasUnsaved && (isHidden || msSinceInput >= idleMs);
