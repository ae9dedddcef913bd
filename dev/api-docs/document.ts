import type { INestApplication } from '@nestjs/common'
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger'
import { SESSION_SETTINGS } from '../../src/platform/config/tables.js'
import { FIELD_FAULTS } from '../../src/platform/errors/field-faults.js'
import { type Handler, handlersOf } from './handlers.js'
import { documentProtection, type Operation } from './protection.js'

const TOKEN_MINUTES = Number(SESSION_SETTINGS.accessTokenTtlSeconds.default) / 60
const SESSION_DAYS = Number(SESSION_SETTINGS.sessionTtlSeconds.default) / (24 * 60 * 60)

const INTRODUCTION = `One API that knows who is logged in, for one main site and many satellite sites.

An **access token** (${TOKEN_MINUTES} minutes, \`Authorization: Bearer\`) goes with every request. A **session identifier** (${SESSION_DAYS} days)
only fetches new access tokens: the main site has it in an HttpOnly cookie, satellites and mobile apps send it in
\`X-Session-ID\` to \`/api/refresh\` and nowhere else.

Every refusal is \`application/problem+json\` (RFC 9457) with a stable \`code\`. A 503 has \`Retry-After\` and never
means that a session has ended; only a 401 from refresh does.`

const TAGS = {
  Auth: 'Log in and out, renew access tokens, prove again who one is',
  'Hand-off': 'Log in on a satellite through the main site',
  Sessions: 'The live sessions of a user',
  Passwords: 'Choose, change and recover passwords',
  'Second factors': 'Authenticator apps, passkeys, recovery codes and remembered devices',
  'Sign-up': 'Open an account',
  Profile: 'What a user says about themselves',
  Account: 'Settings, deletion and transfer of an account',
  Team: 'Members, invitations and permissions',
  Satellites: 'The sites of an account, their proofs and their looks',
  Billing: 'Plans, checkout and invoices',
  History: 'Logins and the audit log',
  Data: 'An example of an endpoint that access tokens protect',
  Keys: 'How others verify access tokens',
  Health: 'For load balancers and orchestrators',
}

/** The API reference, generated from the code. */
export function openApiDocument(app: INestApplication, serverUrl: string): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Mainstay')
    .setDescription(INTRODUCTION)
    .setVersion('1')
    .addServer(serverUrl)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, 'accessToken')
    .addCookieAuth('sessionId', { type: 'apiKey', in: 'cookie' }, 'sessionCookie')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-Session-ID' }, 'sessionId')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .build()
  config.tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }))
  const document = SwaggerModule.createDocument(app, config)
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM },
  }
  const documented = handlersOf(app).filter(({ isExcluded }) => !isExcluded)
  for (const handler of documented) documentProtection(operationOf(document, handler), handler)
  return document
}

function operationOf({ paths }: OpenAPIObject, { name, method, path }: Handler): Operation {
  const item = paths[path.replace(/:(\w+)/g, '{$1}')]
  const operation = item?.[method.toLowerCase() as 'get' | 'put' | 'post' | 'patch' | 'delete']
  if (!operation) throw new Error(`${name} is missing in the API reference`)
  return operation
}

const PROBLEM = {
  type: 'object' as const,
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string' as const, format: 'uri' },
    title: { type: 'string' as const, description: 'The fixed sentence of the code' },
    status: { type: 'integer' as const },
    detail: { type: 'string' as const },
    code: { type: 'string' as const, description: 'Stable: part of the API' },
    requestId: { type: 'string' as const, format: 'uuid', description: 'Quote it to support' },
    errors: {
      type: 'array' as const,
      description: 'What is wrong with which field of the body',
      items: {
        type: 'object' as const,
        required: ['field', 'code', 'message'],
        properties: {
          field: { type: 'string' as const },
          code: {
            type: 'string' as const,
            enum: Object.keys(FIELD_FAULTS),
            description: 'Stable: part of the API. Later versions may have more',
          },
          values: {
            type: 'object' as const,
            additionalProperties: { type: ['string', 'number'] },
            description: 'What a sentence of the code needs, such as `max`',
          },
          message: { type: 'string' as const, description: 'The sentence in English' },
        },
      },
    },
  },
}
