/** Rights that a user may give to a program key. A key allows nothing else. */
export const scopes = ["read", "trade", "settings"] as const;

export type Scope = (typeof scopes)[number];
