const longest = 40;

/** Emoji that Unicode recommends, including the joiners and variation selectors in them. */
const emoji = /\p{RGI_Emoji}/gv;

/**
 * Characters that are invisible or change how the text around them is shown: control, format and bidi characters, line
 * separators.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/v;

export const walletNameRule = `must be 1 to ${longest} visible characters`;

/** Prepares a name for storage: composes it (NFC) and trims white space. */
export const tidyWalletName = (text: string): string => text.normalize("NFC").trim();

/** True if a tidy name may be stored. Its length counts code points, and an emoji may have several. */
export function isWalletName(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= longest && !unseen.test(text.replaceAll(emoji, ""));
}
