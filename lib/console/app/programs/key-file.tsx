import { useState } from "preact/hooks";
import { useDesk } from "../desk.ts";
import { saveFile } from "../save-file.ts";
import type { MadeKey } from "./key-terms.ts";

/** Gives the user, this once, the file that `createTerminal` of `trading-terminal-client/key` takes. */
export function KeyFile({ made: { key, privateKey }, onDone }: { made: MadeKey; onDone: () => void }) {
  const { profile } = useDesk();
  const [isSaved, setSaved] = useState(privateKey === undefined);
  const { userID } = profile;
  const { keyId, name } = key;
  function save() {
    const file = { baseUrl: location.origin, userID, keyId, privateKey };
    saveFile("key.json", `${JSON.stringify(file, undefined, 2)}\n`, "application/json");
    setSaved(true);
  }
  return (
    <section class="notice" data-unsaved={!isSaved || undefined} role="status">
      <p>
        {name} is in force. The program names the user <code>{userID}</code> and the key <code>{keyId}</code>.
      </p>
      {privateKey !== undefined && (
        <p>
          This file has its private key, which the service never had and this page forgets now. Keep it where
          only the program reads it.
        </p>
      )}
      <div class="buttons">
        {privateKey !== undefined && (
          <button type="button" class="primary" onClick={save}>
            Save key.json
          </button>
        )}
        <button type="button" disabled={!isSaved} onClick={onDone}>
          Done
        </button>
      </div>
    </section>
  );
}
