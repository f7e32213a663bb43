import {
  CreateDeviceSchema,
  CreatedDeviceSchema,
  DeviceAnswerSchema,
  DevicePathSchema,
  DevicesSchema,
} from "./device-schema.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import { NoQuerySchema } from "./scalars.ts";

export const createDevice = {
  query: NoQuerySchema,
  body: CreateDeviceSchema,
  success: CreatedDeviceSchema,
  errors: ["SIGN_IN_REQUIRED", "DEVICES_DISABLED", "DEVICE_LIMIT_REACHED"],
} as const satisfies OperationSchemas;

export const listDevices = {
  query: NoQuerySchema,
  success: DevicesSchema,
  errors: ["DEVICES_DISABLED"],
} as const satisfies OperationSchemas;

export const deleteDevice = {
  path: DevicePathSchema,
  query: NoQuerySchema,
  success: DeviceAnswerSchema,
  errors: ["DEVICES_DISABLED", "DEVICE_NOT_FOUND"],
} as const satisfies OperationSchemas;
