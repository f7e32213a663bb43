export type Notice = {
  id: number;
  text: string;
  /** A step is done, but what it began continues. */
  kind: "good" | "bad" | "step";
  /** Names what the notice is about. Of each, only one notice is shown. */
  about?: string | undefined;
  /** What the user can do about it. */
  remedy?: { text: string; onPick: () => void } | undefined;
};

const mostNotices = 3;

/** Adds a notice. An outcome replaces the step before it, and stays if the step is reported later. */
export function withNotice(shown: readonly Notice[], notice: Notice): readonly Notice[] {
  const isSame = ({ about }: Notice) => about !== undefined && about === notice.about;
  if (notice.kind === "step" && shown.some(isSame)) return shown;
  return [...shown.filter((each) => !isSame(each)), notice].slice(-mostNotices);
}
