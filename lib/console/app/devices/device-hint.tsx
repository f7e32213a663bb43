import { useDesk } from "../desk.ts";
import { stayingOf, useDevices } from "./use-devices.ts";

/** Warns, where guards are loosened, a user who has no device that would report a thief. */
export function DeviceHint() {
  const { openNotices } = useDesk();
  const { read } = useDevices();
  if (typeof read !== "object" || stayingOf(read.devices).length > 0) return null;
  return (
    <p class="quiet">
      No device of yours gets notices, so you would learn of a thief's request on an open page only.{" "}
      <button type="button" class="plain" onClick={openNotices}>
        Get notices
      </button>
    </p>
  );
}
