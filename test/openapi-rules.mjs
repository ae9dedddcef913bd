// node test/openapi-rules.mjs: docs/openapi.json against the rules that Redocly recommends, for those who generate
// clients, pages and proxies from it. Prints what breaks one, and ends with 1.
import { fileURLToPath } from 'node:url'
import { createConfig, lint } from '@redocly/openapi-core'

const FILE = fileURLToPath(new URL('../docs/openapi.json', import.meta.url))

/** What breaks a rule and stays, by rule and by what its message contains. */
const ACCEPTED = [
  // The file is for every installation; each serves one with its own address at /api/docs.
  ['no-server-example.com', 'example.com'],
  // No user has the id "invitations": ids are UUIDs. Changing a path would break the clients there are.
  ['no-ambiguous-paths', '`/api/team/invitations/{id}` and `/api/team/{userId}/'],
]

const config = await createConfig({ extends: ['recommended'] })
const problems = await lint({ ref: FILE, config })
const isAbout = ({ ruleId, message }, [rule, text]) => ruleId === rule && message.includes(text)
const broken = problems.filter(problem => !ACCEPTED.some(accepted => isAbout(problem, accepted)))
const stale = ACCEPTED.filter(accepted => !problems.some(problem => isAbout(problem, accepted)))
for (const { ruleId, severity, message, location } of broken)
  console.log(`docs/openapi.json${location[0]?.pointer ?? ''}: ${severity} ${ruleId}: ${message}`)
for (const [rule] of stale) console.log(`${rule} has nothing to accept any more: take its line out`)
process.exit(broken.length + stale.length === 0 ? 0 : 1)
