/** Emoji that Unicode recommends, including the joiners and variation selectors in them. */
const emoji = /\p{RGI_Emoji}/gv;

/**
 * Characters that are invisible or change how the text around them is shown: control, format and bidi characters, line
 * separators.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/v;

/** True if users see each character of a text that another user has written. */
export const isVisibleText = (text: string): boolean => !unseen.test(text.replaceAll(emoji, ""));
