// node keys-secret.mjs create|change <command> …: gets the Secret of the keys, runs commands of Mainstay's command line on its
// files, and puts the files back. `create` does nothing where the Secret is there, `change` fails where it is not. The Secret
// is put back only as it was got: a change by somebody else meanwhile is a conflict, and nothing is lost.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [mode, ...commands] = process.argv.slice(2)
const { KEYS_SECRET: name, KEYS_FOLDER: folder = '/work' } = process.env
const account = process.env.ACCOUNT_FOLDER ?? '/var/run/secrets/kubernetes.io/serviceaccount'
const api = process.env.KUBERNETES_API ?? 'https://kubernetes.default.svc'
const files = ['jwt-keys.json', 'secrets-keys.json']
// Node trusts what NODE_EXTRA_CA_CERTS has: for this script that is Kubernetes, for the commands what the operator says.
const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env.COMMANDS_EXTRA_CA_CERTS }
const secrets = `/api/v1/namespaces/${readFileSync(join(account, 'namespace'), 'utf8').trim()}/secrets`

const secret = await ask('GET', `${secrets}/${name}`)
if (mode === 'create' && secret) end(`The Secret ${name} is there`)
if (mode === 'change' && !secret) throw new Error(`There is no Secret ${name}`)
for (const [file, text] of Object.entries(secret?.data ?? {}))
  if (files.includes(file)) writeFileSync(join(folder, file), Buffer.from(text, 'base64'), { mode: 0o600 })
for (const command of commands) {
  const { status } = spawnSync(process.execPath, ['dist/src/cli.js', ...command.split(' ')], {
    stdio: 'inherit',
    env,
  })
  if (status !== 0) throw new Error(`${command}: exit code ${status}; the Secret is as it was`)
}
const data = { ...secret?.data }
for (const file of files)
  if (existsSync(join(folder, file))) data[file] = readFileSync(join(folder, file)).toString('base64')
if (secret) await ask('PUT', `${secrets}/${name}`, { ...secret, data })
else
  await ask('POST', secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', data })
end(`The Secret ${name} has the keys`)

/** Null when there is nothing at that path. */
async function ask(method, path, body) {
  const token = readFileSync(join(account, 'token'), 'utf8').trim()
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  if (response.status === 404 && method === 'GET') return null
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return response.json()
}

function end(message) {
  console.log(message)
  process.exit(0)
}
