import type { Row } from "./types.ts";

/** Rows for users' devices, and for the notices that go to them. */
export const noticeRows = {
  createDevice: {
    kind: "rest",
    deployed: "with devices",
    method: "POST",
    path: "/api/v2/devices",
    summary: "Register a browser or a webhook that gets notices",
    table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    reads: ["DEVICES"],
    writes: ["DEVICES", "DEVICEKEYS", "CONNECTIONS"],
    impact: "Users cannot register devices. Registered ones get their notices.",
  },
  listDevices: {
    kind: "rest",
    deployed: "with devices",
    method: "GET",
    path: "/api/v2/devices",
    summary: "List the user's devices",
    table: ["dynamodb:GetItem", "dynamodb:Query"],
    reads: ["DEVICES"],
    impact: "Users cannot see their devices. Devices get their notices.",
  },
  deleteDevice: {
    kind: "rest",
    deployed: "with devices",
    method: "DELETE",
    path: "/api/v2/devices/{deviceId}",
    summary: "Remove a device after a day",
    table: ["dynamodb:GetItem", "dynamodb:UpdateItem"],
    reads: ["DEVICES"],
    writes: ["DEVICES", "DEVICEKEYS"],
    impact: "Users cannot remove devices.",
  },
  notifyOwner: {
    kind: "notices",
    deployed: "with devices",
    summary: "Bring notices to the devices of their users",
    table: ["dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    reads: ["DEVICES", "DEVICEKEYS"],
    writes: ["DEVICES", "DEVICEKEYS"],
    deletes: ["DEVICES", "DEVICEKEYS"],
    env: ["RETRY_QUEUE_URL"],
    // Leaves time for a batch of devices that answer as slowly as possible.
    timeoutSeconds: 30,
    impact:
      "Users' devices get notices late: also those of exports, keys and looser guards. Nothing is lost for days.",
  },
  refuseDevices: {
    kind: "refusal",
    refuses: "with devices",
    summary: "Reject requests about devices where they are off",
    memoryMB: 256,
    impact: "Users who ask for devices get a 500 instead of the answer that they are off.",
  },
} as const satisfies Record<string, Row>;
