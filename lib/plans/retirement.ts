/** How long a retired key is kept, in milliseconds: far longer than an authorizer remembers it. */
const retirement = 10 * 60 * 1000;

/** When a key may go that is retired now. */
export const dueFrom = (now: Date): Date => new Date(now.getTime() + retirement);
