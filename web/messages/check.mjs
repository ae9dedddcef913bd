// Part of npm run check: whether every language has every message, with the same values.
import { fileURLToPath } from 'node:url'
import { faultsOf, readMessages } from './read-messages.mjs'

const files = readMessages(fileURLToPath(new URL('.', import.meta.url)))
const faults = faultsOf(files)
for (const fault of faults) console.log(fault)
process.exit(faults.length > 0 || files.length < 2 ? 1 : 0)
