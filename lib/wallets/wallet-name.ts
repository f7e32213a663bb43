const longest = 40;

/** Emoji as Unicode recommends them, with the joiners and variation selectors inside. */
const emoji = /\p{RGI_Emoji}/gv;

/** Invisible, or it changes how the text around it is shown: control, format and bidi characters, line separators. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/v;

export const walletNameRule = `must be 1 to ${longest} visible characters`;

/** A given name as it is stored: composed (NFC), without white space around it. */
export const tidyWalletName = (text: string): string => text.normalize("NFC").trim();

/** Whether a tidy name may be stored. Its length counts code points: an emoji may have several. */
export function isWalletName(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= longest && !unseen.test(text.replaceAll(emoji, ""));
}
