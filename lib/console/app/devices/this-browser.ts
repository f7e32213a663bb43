import { browserStore } from "../stores.ts";

/** The script that shows notices while no page is open, and the pages that it belongs to. */
const worker = { url: "/console/service-worker.js", scope: "/console/" };

/** Why this browser gets no notices, as a sentence. */
export class NoPush extends Error {}

const unsupported =
  "This browser cannot get notices. On an iPhone or iPad, first add the console to the home screen, and open it from there.";

const blocked =
  "This browser blocks notices of this page. Allow them in its settings of this site, and try again.";

const undecided = "You have not allowed notices of this page. Nothing was changed.";

/** Says why notices can never be turned on in this browser. Undefined if the user may ask for them. */
export const pushProblem = (): string | undefined =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis
    ? undefined
    : unsupported;

/**
 * Asks the user, starts the script that shows notices, and subscribes to pushes that the service signs.
 *
 * @param pushKey The service's public key
 * @throws {NoPush}
 */
export async function subscribe(pushKey: string): Promise<PushSubscription> {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") throw new NoPush(permission === "denied" ? blocked : undecided);
  try {
    const { pushManager } = await startedWorker();
    const options = { userVisibleOnly: true, applicationServerKey: pushKey };
    return await pushManager.subscribe(options).catch(async (error: Error) => {
      // A subscription by an earlier key of the service gets nothing more, and is in the way.
      if (error.name !== "InvalidStateError") throw error;
      await (await pushManager.getSubscription())?.unsubscribe();
      return pushManager.subscribe(options);
    });
  } catch (error) {
    throw new NoPush(`This browser's push service refuses: ${(error as Error).message}`);
  }
}

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
};

/** The page's policy accepts no address of a script but one of this name. Older browsers have no such types. */
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const trusted = trustedTypes?.createPolicy("service-worker", { createScriptURL: () => worker.url });

/** Registers the script, and waits until it runs. */
async function startedWorker(): Promise<ServiceWorkerRegistration> {
  const { serviceWorker } = navigator;
  const address = trusted?.createScriptURL(worker.url) ?? worker.url;
  const registration = await serviceWorker.register(address, { scope: worker.scope });
  const starting = registration.installing ?? registration.waiting;
  if (registration.active === null && starting !== null)
    await new Promise<void>((resolve) => {
      starting.addEventListener("statechange", () => {
        if (starting.state === "activated") resolve();
      });
    });
  return registration;
}

/** The user's device that is this browser, with the address by which pushes reach it. */
type OwnDevice = { deviceId: string; endpoint: string };

const nameFor = (userID: string) => `device ${userID}`;

/** Remembers which device this browser is, because the service does not return addresses. */
export const rememberDevice = (userID: string, own: OwnDevice): void =>
  browserStore.set(nameFor(userID), JSON.stringify(own));

/** Returns the id of the user's device that is this browser. Undefined if pushes no longer reach it. */
export async function ownDeviceId(userID: string): Promise<string | undefined> {
  const text = browserStore.get(nameFor(userID));
  if (text === undefined || pushProblem() !== undefined) return undefined;
  const { deviceId, endpoint } = JSON.parse(text) as OwnDevice;
  const registration = await navigator.serviceWorker.getRegistration(worker.scope);
  const subscription = await registration?.pushManager.getSubscription();
  return subscription?.endpoint === endpoint ? deviceId : undefined;
}
