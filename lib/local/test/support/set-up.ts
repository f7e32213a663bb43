import { cleanUpAtEnd } from "./clean-up.ts";

cleanUpAtEnd();
