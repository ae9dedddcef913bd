/** The service alone: the app itself is made by Expo's own tools. */
export async function start({ apiUrl }) {
  const { port } = new URL(apiUrl)
  return `
  App        in a folder of its own:
    npx create-expo-app@latest shop-app && cd shop-app
    npx expo install expo-secure-store
    npm install <the archive of @mainstay-auth/client>
    cp <this checkout>/examples/expo/session.ts .

  On a simulator of this machine ${apiUrl} is the service; on an Android emulator or phone after
    adb reverse tcp:${port} tcp:${port}
`
}
