export { ENGLISH, GERMAN, type LoginWords } from '@mainstay-auth/client/login'
export {
  Permitted,
  type PermittedProps,
  SignedIn,
  type SignedInProps,
  SignedOut,
  type SignedOutProps,
  usePermitted,
  type Wanted,
} from './gates.js'
export { LoginForm, type LoginFormProps } from './login-form.js'
export {
  MainstayProvider,
  type MainstayProviderProps,
  type User,
  type UserState,
  useClient,
  useSession,
  useUser,
} from './provider.js'
export { LoginButton, type LoginButtonProps, SignIn, type SignInProps } from './sign-in.js'
export { UserButton, type UserButtonProps } from './user-button.js'
