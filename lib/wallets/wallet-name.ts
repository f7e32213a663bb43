import { isVisibleText } from "../core/visible-text.ts";

const longest = 40;

export const walletNameRule = `must be 1 to ${longest} visible characters`;

/** Prepares a name for storage: composes it (NFC) and trims white space. */
export const tidyWalletName = (text: string): string => text.normalize("NFC").trim();

/** True if a tidy name may be stored. Its length counts code points, and an emoji may have several. */
export function isWalletName(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= longest && isVisibleText(text);
}
