import { type DynamicModule, Module } from '@nestjs/common'
import { ConfigModule, registerAs } from '@nestjs/config'
import { Settings } from './settings.js'

/** The settings are read and complete; a program around us has an environment of its own. */
const WITHOUT_ENVIRONMENT = { ignoreEnvFile: true, ignoreEnvVars: true, skipProcessEnv: true }

/** Makes the validated settings injectable everywhere as {@link Settings}. */
@Module({})
export class SettingsModule {
  static with(settings: Settings): DynamicModule {
    const namespace = registerAs('settings', () => settings)
    return {
      module: SettingsModule,
      global: true,
      imports: [ConfigModule.forRoot({ ...WITHOUT_ENVIRONMENT, load: [namespace] })],
      providers: [{ provide: Settings, inject: [namespace.KEY], useFactory: (loaded: Settings) => loaded }],
      exports: [Settings],
    }
  }
}
