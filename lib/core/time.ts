/** Returns the UTC date of a time, such as 2026-11-22. A number is in milliseconds. */
export const dayOf = (time: Date | number): string => new Date(time).toISOString().slice(0, 10);

/** Waits on the global timer, so that tests can replace it by virtual time. */
export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Converts to whole seconds, rounded down. */
export const epochSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);
