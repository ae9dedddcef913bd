import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RequestMethod } from '@nestjs/common'
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js'
import { MetadataScanner, ModulesContainer } from '@nestjs/core'
import { IS_PUBLIC } from '../../../src/tokens/public.decorator.js'
import { TestApp } from '../../support/test-app.js'

/** Who adds one here says why everybody in the world may call it. */
const PUBLIC_HANDLERS = [
  'AcceptInvitationController.accept',
  'AuthController.login',
  'EmailChangeController.confirm',
  'EmailChangeController.undo',
  'HealthController.live',
  'HealthController.ready',
  'HealthController.status',
  'JwksController.list',
  'PasswordController.forgot',
  'PasswordController.reset',
  'RefreshController.refresh',
  'SignUpController.signUp',
  'SignUpController.verify',
  'TransferController.accept',
  'TransferController.stop',
  'UnrecognizedLoginController.report',
  'WebhookController.receive',
]

interface Handler {
  name: string
  method: string
  path: string
  isPublic: boolean
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.start('redis + postgres')
})
afterAll(() => app.stop())

it('these handlers are public and no others', () => {
  const handlers = allHandlers()
  expect(handlers.length).toBeGreaterThan(PUBLIC_HANDLERS.length)
  const names = handlers.filter(({ isPublic }) => isPublic).map(({ name }) => name)
  expect(names.sort()).toEqual(PUBLIC_HANDLERS)
})

it('every other handler asks for an access token', async () => {
  const closed = allHandlers().filter(({ isPublic }) => !isPublic)
  const answers = await Promise.all(
    closed.map(async ({ name, method, path }) => {
      const { status, json } = await app.request({ method, path })
      return `${name}: ${status} ${json?.code}`
    }),
  )
  expect(answers).toEqual(closed.map(({ name }) => `${name}: 401 ACCESS_TOKEN_REQUIRED`))
})

function allHandlers(): Handler[] {
  const modules = [...app.app.get(ModulesContainer).values()]
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => handlersOf(metatype as new () => object)),
  )
}

function handlersOf(controller: new () => object): Handler[] {
  const prototype = controller.prototype as Record<string, object>
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .map(name => ({ name, handler: prototype[name] as object }))
    .filter(({ handler }) => Reflect.hasMetadata(PATH_METADATA, handler))
    .map(({ name, handler }) => ({
      name: `${controller.name}.${name}`,
      method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)] as string,
      path: `/${[controller, handler]
        .map(part => Reflect.getMetadata(PATH_METADATA, part).replace(/^\/|\/$/g, ''))
        .filter(part => part !== '')
        .join('/')}`,
      isPublic: Reflect.getMetadata(IS_PUBLIC, handler) === true,
    }))
}
