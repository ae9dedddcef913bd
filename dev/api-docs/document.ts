import 'reflect-metadata'
import { type CanActivate, type INestApplication, RequestMethod, type Type } from '@nestjs/common'
import {
  GUARDS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js'
import { RouteParamtypes } from '@nestjs/common/internal'
import { type ApplicationConfig, MetadataScanner, type NestContainer, NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { DECORATORS, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger'
import { AppModule } from '../../src/app.js'
import type { Settings } from '../../src/platform/config/settings.js'
import { SESSION_SETTINGS } from '../../src/platform/config/tables.js'
import { ApiError, ERROR_CODES, type ErrorCode } from '../../src/platform/errors/api-error.js'
import { FIELD_FAULTS, type FieldError, fieldError } from '../../src/platform/errors/field-faults.js'
import { problemOf } from '../../src/platform/errors/problem.filter.js'
import {
  documentationOf,
  type GuardDocumentation,
  isApplied,
  ownRefusalsOf,
} from '../../src/platform/http/endpoint.js'
import { Clock } from '../../src/platform/time.js'

/** A method of a controller that answers requests. */
export interface Handler {
  /** Like `LoginController.login`. */
  readonly name: string
  readonly target: object
  /** Like `POST`. */
  readonly method: string
  readonly path: string
  /** Whether the API reference leaves it out. */
  readonly isExcluded: boolean
  /** In execution order. */
  readonly guards: readonly Type<CanActivate>[]
  /** What of a request it takes. */
  readonly takes: readonly Input[]
}

type Input = 'body' | 'query' | 'path'

const INPUTS = new Map<RouteParamtypes, Input>([
  [RouteParamtypes.BODY, 'body'],
  [RouteParamtypes.QUERY, 'query'],
  [RouteParamtypes.PARAM, 'path'],
])

/** Every handler of an application, even one that has not been started. */
export function handlersOf(app: object): Handler[] {
  const { container } = app as { container: NestContainer }
  const globalGuards = (container.applicationConfig as ApplicationConfig)
    .getGlobalGuards()
    .map(guard => guard.constructor as Type<CanActivate>)
  return [...container.getModules().values()].flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => handlersIn(metatype as Type, globalGuards)),
  )
}

function handlersIn(controller: Type, globalGuards: readonly Type<CanActivate>[]): Handler[] {
  return new MetadataScanner()
    .getAllMethodNames(controller.prototype)
    .map(name => ({ name, target: controller.prototype[name] as object }))
    .filter(({ target }) => Reflect.hasMetadata(PATH_METADATA, target))
    .map(({ name, target }) => {
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, target)] as string
      return {
        name: `${controller.name}.${name}`,
        target,
        method,
        path: pathOf(controller, target),
        isExcluded: isExcluded(controller, target),
        guards: [...globalGuards, ...guardsAt(controller), ...guardsAt(target)].filter(({ prototype }) =>
          isApplied(prototype, target, method),
        ),
        takes: inputsOf(controller, name),
      }
    })
}

function pathOf(...targets: object[]): string {
  const parts = targets.map(target => Reflect.getMetadata(PATH_METADATA, target).replace(/^\/|\/$/g, ''))
  return `/${parts.filter(part => part !== '').join('/')}`
}

/** By ApiExcludeController or ApiExcludeEndpoint. */
function isExcluded(controller: object, target: object): boolean {
  const [ofAll] = Reflect.getMetadata(DECORATORS.API_EXCLUDE_CONTROLLER, controller) ?? []
  return Boolean(ofAll || Reflect.getMetadata(DECORATORS.API_EXCLUDE_ENDPOINT, target)?.disable)
}

/** By the decorators of the method's parameters, which Nest lists as `<kind>:<index>`; those of our own have a random kind. */
function inputsOf(controller: Type, name: string): Input[] {
  const parameters: object = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}
  return Object.keys(parameters).flatMap(key => INPUTS.get(Number(key.split(':')[0])) ?? [])
}

function guardsAt(target: object): readonly Type<CanActivate>[] {
  return Reflect.getMetadata(GUARDS_METADATA, target) ?? []
}

/** One endpoint in the API reference. */
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>

/** Error codes of any request. */
const EVERYWHERE: readonly ErrorCode[] = ['INVALID_REQUEST', 'ORIGIN_NOT_ALLOWED', 'INTERNAL_ERROR']

/**
 * Error codes of any request that takes this. Whatever takes a body asks the database about it, and is counted by a rate
 * limit; a path names something that may not exist.
 */
const BY_INPUT: Readonly<Record<Input, readonly ErrorCode[]>> = {
  body: [
    'INVALID_BODY',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'TOO_MANY_ATTEMPTS',
    'DATABASE_UNAVAILABLE',
  ],
  query: ['INVALID_QUERY'],
  path: ['NOT_FOUND'],
}

/**
 * Adds to an operation what its guards require, and every error code that they or its handler return, or that follows
 * from what it takes, each with an example.
 */
function documentProtection(operation: Operation, handler: Handler): void {
  const guards = handler.guards.map(guard => documentationOf(guard))
  // What refresh says of itself stays: one of two credentials.
  if (guards.length > 0 || !operation.security) operation.security = securityOf(guards)
  const codes = new Set([
    ...guards.flatMap(({ refusals }) => refusals),
    ...handler.takes.flatMap(input => BY_INPUT[input]),
    ...ownRefusalsOf(handler.target),
    ...EVERYWHERE,
  ])
  Object.assign(operation.responses, responsesOf(inOrderOfTheTable(codes)))
}

/** The sets of credentials of which a request needs one whole; none for a public endpoint. */
function securityOf(guards: readonly GuardDocumentation[]): Record<string, string[]>[] {
  const setOf = (some: readonly GuardDocumentation[]) =>
    Object.fromEntries(some.flatMap(({ security }) => (security ? [[security, []]] : [])))
  const sets = [setOf(guards)]
  if (guards.some(({ isOfMainSiteOnly }) => isOfMainSiteOnly))
    sets.push(setOf(guards.filter(({ isOfMainSiteOnly }) => !isOfMainSiteOnly)))
  return sets.filter(set => Object.keys(set).length > 0)
}

function inOrderOfTheTable(codes: ReadonlySet<ErrorCode>): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter(code => codes.has(code))
}

function responsesOf(codes: readonly ErrorCode[]): Operation['responses'] {
  const statuses = [...new Set(codes.map(code => ERROR_CODES[code].status))]
  return Object.fromEntries(
    statuses.map(status => [status, responseOf(codes.filter(code => ERROR_CODES[code].status === status))]),
  )
}

function responseOf(codes: readonly ErrorCode[]) {
  return {
    description: codes.map(code => `\`${code}\`: ${ERROR_CODES[code].title}`).join('\n\n'),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map(code => [code, { value: exampleOf(code) }])),
      },
    },
  }
}

const EXAMPLE_ERRORS: Partial<Record<ErrorCode, readonly FieldError[]>> = {
  INVALID_BODY: [fieldError('email', 'NOT_AN_EMAIL')],
  INVALID_QUERY: [
    { ...fieldError('limit', 'TOO_LARGE', { max: 200 }), message: 'limit must not be greater than 200' },
  ],
  WEAK_PASSWORD: [fieldError('password', 'PASSWORD_COMMON')],
}

function exampleOf(code: ErrorCode) {
  const errors = EXAMPLE_ERRORS[code]
  return problemOf(new ApiError(code, { ...(errors && { errors }) }), '7f1a2c9e-6b0d-4c55-9a0e-3f5b7c1d2e4f')
}

const TOKEN_MINUTES = Number(SESSION_SETTINGS.accessTokenTtlSeconds.default) / 60
const SESSION_DAYS = Number(SESSION_SETTINGS.sessionTtlSeconds.default) / (24 * 60 * 60)

const INTRODUCTION = `One API that knows who is logged in, for one main site and many satellite sites.

An **access token** (${TOKEN_MINUTES} minutes, \`Authorization: Bearer\`) goes with every request. A **session identifier** (${SESSION_DAYS} days)
only fetches new access tokens: the main site has it in an HttpOnly cookie, satellites and mobile apps send it in
\`X-Session-ID\` to \`/api/refresh\` and nowhere else.

Every refusal is \`application/problem+json\` (RFC 9457) with a stable \`code\`. A 503 has \`Retry-After\` and never
means that a session has ended; only a 401 from refresh does.`

const TAGS = {
  Auth: 'Log in and out, renew access tokens, re-authenticate',
  'Hand-off': 'Log in on a satellite through the main site',
  Sessions: 'The live sessions of a user',
  Passwords: 'Choose, change and recover passwords',
  'Second factors': 'Authenticator apps, passkeys, recovery codes and remembered devices',
  'Sign-up': 'Open an account',
  Profile: 'The name, language and data of a user',
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

/** The API reference without a running service: in preview mode Nest opens nothing, so no store is needed. */
export async function previewOpenApi(settings: Settings): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(settings, new Clock()),
    new FastifyAdapter(),
    { preview: true, logger: ['error'] },
  )
  return openApiDocument(app, 'https://api.example.com')
}
