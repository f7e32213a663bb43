import { noticeText, readPush } from "./notice-text.ts";

/** The scope of this script, which browsers run without a page. It reads no cache and answers no request. */
declare const self: ServiceWorkerGlobalScope;

// Lets a newer build replace this script at once: pages ask it for nothing.
self.addEventListener("install", () => void self.skipWaiting());

self.addEventListener("push", (event) => {
  const notice = readPush(event.data?.text());
  const { title, body } = noticeText(notice);
  // A repeated notice has the same id, and replaces the first one.
  const options = { body, icon: "icon.svg", ...(notice && { tag: notice.id }) };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openConsole());
});

/** Shows a page of the console that is open, or else opens one. */
async function openConsole(): Promise<void> {
  const { scope } = self.registration;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find(({ url }) => url.startsWith(scope));
  await (open ? open.focus() : self.clients.openWindow(scope));
}
