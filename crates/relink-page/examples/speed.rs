//! tmp
#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::print_stdout)]
use std::time::Instant;
fn time(name: &str, bytes: usize, mut f: impl FnMut()) {
    f();
    let n = (200_000_000 / bytes.max(1)).clamp(3, 200_000);
    let t = Instant::now();
    for _ in 0..n {
        f();
    }
    let s = t.elapsed().as_secs_f64() / n as f64;
    println!(
        "{name}: {:.2} us, {:.0} MB/s",
        s * 1e6,
        bytes as f64 / s / 1e6
    );
}
fn main() {
    let small = "<!doctype html><html lang=en><head><title>Page 17 of the test</title><link rel=stylesheet href=/s.css></head><body><h1>Page 17</h1><p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat.</p><p><a href=\"/18\">next</a> <a href='https://example.org/'>home</a></p></body></html>";
    let mut big = String::from("<html><head><title>x</title></head><body>");
    let mut r = 12345u64;
    while big.len() < 2_000_000 {
        big.push_str("<div class=\"row item\"><p>");
        for _ in 0..40 {
            r = r
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            big.push_str(
                [
                    "lorem ",
                    "ipsum, ",
                    "Dolor ",
                    "sit ",
                    "amet. ",
                    "consectetur ",
                    "über ",
                ][(r >> 33) as usize % 7],
            );
            big.push_str(&format!("{} ", (r >> 40) % 100));
        }
        big.push_str("<a href=\"https://example.org/a?b=c&amp;d=e\">link</a></p></div>\n");
    }
    let f = relink_page::Format::Html;
    time("digest small", small.len(), || {
        std::hint::black_box(relink_page::digest(
            Some("text/html"),
            None,
            small.as_bytes(),
            false,
        ));
    });
    time("digest big", big.len(), || {
        std::hint::black_box(relink_page::digest(
            Some("text/html"),
            None,
            big.as_bytes(),
            false,
        ));
    });
    time("links small", small.len(), || {
        std::hint::black_box(relink_page::links(f, small.as_bytes()));
    });
    time("links big", big.len(), || {
        std::hint::black_box(relink_page::links(f, big.as_bytes()));
    });
    let list: String = (0..100_000)
        .map(|n| format!("http://host{}.test/page/{n}\n", n % 997))
        .collect();
    time("list", list.len(), || {
        let mut n = 0;
        relink_page::each_link(relink_page::Format::UrlList, list.as_bytes(), &mut |_| {
            n += 1
        });
        std::hint::black_box(n);
    });
    let md: String = (0..5000).map(|n| format!("## Head {n}\n\nSome *text* with [a link](https://example.org/{n}) and `code`, more words here, and https://example.org/b_{n}.\n\n")).collect();
    time("markdown", md.len(), || {
        std::hint::black_box(relink_page::links(
            relink_page::Format::Markdown,
            md.as_bytes(),
        ));
    });
}
