import { useEffect, useState } from "preact/hooks";
import { Confirmation, Panel, Unread } from "../controls.tsx";
import { useCall, useDesk } from "../desk.ts";
import { day, words } from "../format.ts";
import { BrowserNotices } from "./browser-notices.tsx";
import { ownDeviceId } from "./this-browser.ts";
import { type Device, stayingOf, useDevices } from "./use-devices.ts";
import { wantsText } from "./wants.tsx";
import { WebhookForm } from "./webhook-form.tsx";

/** Shows the devices that get the user's notices, and adds this browser or a webhook. */
export function Devices() {
  const { profile } = useDesk();
  const { read, again } = useDevices();
  const [ownId, setOwnId] = useState<string>();
  useEffect(() => void ownDeviceId(profile.userID).then(setOwnId), [read]);

  return (
    <Panel title="Notices" area="devices">
      <p>
        Notices reach you while no page is open: always those of exports, looser limits, program keys and
        devices, and those of trades that you choose.
      </p>
      {read === undefined && <p class="empty">Reading your devices …</p>}
      {read === "unread" && <Unread what="devices" onRetry={again} />}
      {read === "off" && (
        <p class="notice">This service sends no notices: its operators have switched them off.</p>
      )}
      {typeof read === "object" && (
        <>
          {stayingOf(read.devices).length === 0 && (
            <p class="notice bad">
              No device of yours gets notices. If a thief asks for an export or looser limits, you learn of it
              on an open page only.
            </p>
          )}
          <h3>This browser</h3>
          <BrowserNotices
            pushKey={read.pushKey}
            own={stayingOf(read.devices).find(({ deviceId }) => deviceId === ownId)}
            onAdded={again}
          />
          <h3>Your devices</h3>
          {read.devices.length === 0 && <p class="empty">None yet.</p>}
          <ul class="rows" aria-label="Your devices">
            {read.devices.map((device) => (
              <DeviceRow
                key={device.deviceId}
                device={device}
                isOwn={device.deviceId === ownId}
                onRemoved={again}
              />
            ))}
          </ul>
          <WebhookForm onAdded={again} />
        </>
      )}
    </Panel>
  );
}

const faultTexts: Readonly<Record<string, string>> = {
  NO_PUSH_KEY: "the service had no key for browsers",
  PRIVATE_ADDRESS: "its host has a private address",
};

function failureOf({ time, code, status }: NonNullable<Device["lastFailure"]>): string {
  const why = status === undefined ? (faultTexts[code] ?? words(code)) : `it answered with ${status}`;
  return `A notice did not arrive on ${day(time)}: ${why}.`;
}

type RowProps = { device: Device; isOwn: boolean; onRemoved: () => void };

function DeviceRow({ device, isOwn, onRemoved }: RowProps) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [isAsked, setAsked] = useState(false);
  const { deviceId, name, type, host, wants, leavesAt, lastFailure } = device;
  async function remove() {
    setAsked(false);
    const removed = await call(() => terminal.deleteDevice({ path: { deviceId } }));
    if (!removed) return;
    notify(`${name} leaves on ${day(removed.device.leavesAt ?? "")}`);
    onRemoved();
  }
  return (
    <li class="wallet">
      <strong>{name}</strong>
      <span class="badge">{type === "push" ? (isOwn ? "this browser" : "browser") : "webhook"}</span>
      <span class="quiet">{host}</span>
      {leavesAt === undefined && !isAsked && (
        <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={() => setAsked(true)}>
          Remove
        </button>
      )}
      <p class="quiet">
        {leavesAt === undefined
          ? `Gets ${wantsText(wants)}.`
          : `Removed. Until ${day(leavesAt)} it still gets notices of exports, limits, keys and devices.`}
        {lastFailure && ` ${failureOf(lastFailure)}`}
      </p>
      {isAsked && (
        <Confirmation yes="Yes, remove it" isBusy={isBusy} onYes={remove} onKeep={() => setAsked(false)}>
          It gets no more notices of trades from now on, and none at all from a day later, so that a thief
          cannot silence you.
        </Confirmation>
      )}
    </li>
  );
}
