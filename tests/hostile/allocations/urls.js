// expect: SUCCESS ["https://user:p%40ss@xn--exmple-cua.example:8080/a/c?q=1&q=2&x=%C3%A9#f","1,2","TypeError",20,"b=2&a=1&é=€"]
const u = new URL("../c?q=1&q=2&x=é#f", "https://user:p%40ss@exämple.example:8080/a/b/d");
let failure; try { new URL("http://[::1"); } catch (e) { failure = e.name; }
const many = Array.from({length: 20}, (_, i) => new URL(`?n=${i}`, `http://h${i}.example/p/${i}`).searchParams.get("n"));
const s = new URLSearchParams([["b", "2"], ["a", "1"]]); s.append("é", "€"); s.sort; s.has("a"); u.pathname = u.pathname; URL.canParse("x:y");
const controller = new AbortController(); controller.signal.addEventListener("abort", () => 0); controller.abort(); crypto.randomUUID(); crypto.getRandomValues(new Uint8Array(300));
return [u.href, u.searchParams.getAll("q").join(), failure, many.length, decodeURIComponent(s.toString())];
