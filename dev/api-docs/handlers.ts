import { type CanActivate, RequestMethod, type Type } from '@nestjs/common'
import { GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js'
import { type ApplicationConfig, MetadataScanner, type NestContainer } from '@nestjs/core'
import { DECORATORS } from '@nestjs/swagger'
import { isApplied } from '../../src/platform/http/endpoint.js'

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
}

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
    .map(name => ({ name: `${controller.name}.${name}`, target: controller.prototype[name] as object }))
    .filter(({ target }) => Reflect.hasMetadata(PATH_METADATA, target))
    .map(({ name, target }) => {
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, target)] as string
      return {
        name,
        target,
        method,
        path: pathOf(controller, target),
        isExcluded: isExcluded(controller, target),
        guards: [...globalGuards, ...guardsAt(controller), ...guardsAt(target)].filter(({ prototype }) =>
          isApplied(prototype, target, method),
        ),
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

function guardsAt(target: object): readonly Type<CanActivate>[] {
  return Reflect.getMetadata(GUARDS_METADATA, target) ?? []
}
