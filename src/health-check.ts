// Asks the service in this container whether it is alive; exit code 0 means yes. For HEALTHCHECK in the
// image, so it loads little.
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { readSettings } from './platform/config/read-settings.js'

const TIMEOUT_MS = 2_000
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const { host, port, tls } = readSettings()
const options = { host: ANY_ADDRESS[host] ?? host, port, path: '/health/live', timeout: TIMEOUT_MS }
// Its certificate is for its public name, not for this address.
const request = tls ? getHttps({ ...options, rejectUnauthorized: false }) : getHttp(options)
request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
request.on('timeout', () => process.exit(1))
request.on('error', () => process.exit(1))
