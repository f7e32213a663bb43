let loads = 0;

/** Loads a function again, like a cold start. Functions read their environment and open their clients at load. */
export async function freshHandler<Module extends { handler: unknown }>(
  name: string,
): Promise<Module["handler"]> {
  loads += 1;
  return (await import(`../../functions/${name}/handler.ts?load=${loads}`)).handler;
}
