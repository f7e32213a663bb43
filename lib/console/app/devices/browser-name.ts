const browsers = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;

const systems = ["Android", "iPhone", "iPad", "Windows", "Mac", "Linux"];

/** Suggests a name for a browser in the list of devices. */
export function browserName(userAgent: string): string {
  const [, browser = "Browser"] = browsers.find(([mark]) => userAgent.includes(`${mark}/`)) ?? [];
  const system = systems.find((name) => userAgent.includes(name));
  return system === undefined ? browser : `${browser} on ${system}`;
}
