// Writes src/api.d.ts: the types of every request and answer, from what the program says of itself.
//
//   npm run types            writes the file
//   npm run types -- print   prints what it would write
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import openapi, { astToString } from "openapi-typescript";

const freshet = process.env.FRESHET ?? new URL("../target/debug/freshet", import.meta.url).pathname;
const document = JSON.parse(execFileSync(freshet, ["openapi"], { encoding: "utf8", maxBuffer: 1 << 26 }));
const text = `// Made from the API's description by "npm run types". Do not edit.\n\n${astToString(await openapi(document))}`;
if (process.argv[2] === "print") process.stdout.write(text);
else writeFileSync(new URL("src/api.d.ts", import.meta.url), text);
