use super::*;

fn of(old: &str, new: &str) -> Verdict {
    let said = |text| Said { text, speaker: "user:ana", about_one: false };
    verdict(&Parsed::of(&said(old)), &Parsed::of(&said(new)))
}

/// Pairs of which the second was taken to end the first: all of them are true at once.
#[test]
fn what_is_true_of_one_thing_is_not_ended_by_another_property() {
    for (old, new) in [
        ("Ana works with Raj.", "Ana moved to Berlin."),
        ("Staging runs on Postgres 15.", "We moved staging to Frankfurt."),
        ("The frontend is built with React.", "We switched the frontend to Vercel."),
        ("Our backups run with restic.", "We moved our backups to Backblaze."),
        ("The tram out is at 7", "The tram back is at 19"),
        ("We deploy with Kamal to Hetzner, never on Fridays.", "We moved to fly.io for deploys"),
        ("Lena is allergic to nuts.", "Lena switched to a vegan diet."),
        ("I live in Oslo", "I lived in Pune"),
        ("Invoice 1041 is paid.", "Invoice 1042 is paid."),
        ("Ana's shift starts at 7.", "Ana's shift ends at 15."),
        ("The kiln holds 40 mugs.", "The kiln takes 6 hours."),
        ("Ana likes Siemens.", "Ana left Siemens."),
        ("The boat is blue.", "We sold the boat."),
        ("She lives in Pune.", "She lives in Oslo."),
        ("Standup is at 9:00 on weekdays.", "Standup is at 10:00 on Sundays."),
        ("Bob drives a Volvo.", "I traded the Volvo for a Kia."),
        ("The API listens on port 8080.", "The API also listens on port 8443."),
        ("We use npm.", "We might switch from npm to pnpm."),
        ("We use npm.", "Raj said we switched from npm to pnpm."),
        ("We use npm.", "We switched from npm to pnpm in the docs repository."),
        ("The port of the cache is 11211.", "The proxy's new port is 8888."),
        ("Phone contract's 20 GB", "Phone contract went up to 15.99"),
        ("There's a bus at 22:14", "There's a bus at 22:41"),
        ("Took paracetamol at 10:15", "Took paracetamol at 16:15"),
        ("The birthday of my wife is 3 May", "My birthday is 9 June"),
        ("The phone number of Ana's office is 555-0101", "Ana's phone number is 555-0202"),
        ("The rent of the garage is 90 euros", "The rent is 1500 euros"),
        ("The port of the admin API is 9000", "The port of the API is 8080"),
        ("The version of the mobile client is 4.2", "The version of the client is 5.0"),
        ("The API of billing listens on port 9000", "The API listens on port 9443"),
        ("The API in the lab listens on port 9000", "The API listens on port 9443"),
        ("The age of my son is 4", "My age is 41"),
        ("The port of the replica is 5433", "The port is 5432"),
        ("Invoice 4711", "Invoice 4712"),
        ("Sprint Q3 12 ends on day 13", "Sprint Q3 13 ends on day 14"),
        ("Task P0 7 is due on day 9", "Task P0 9 is due on day 12"),
        ("order 5f2a9c", "order 77ab01"),
        ("Room 204 has 12 seats.", "Room 206 has 14 seats."),
        ("We use npm for the frontend", "no, we use pnpm for the backend"),
        ("The staging API listens on port 8080", "Yesterday the staging API listened on port 8081"),
        ("Staging runs Postgres 15", "Last week staging ran Postgres 12"),
    ] {
        assert_ne!(of(old, new), Verdict::Ends, "{old} / {new}");
    }
}

#[test]
fn what_is_plainly_over_ends() {
    for (old, new) in [
        ("The standup starts at 9:15.", "The standup starts at 9:45 now."),
        ("Standup is at 9:15.", "btw standup moved to 9:45"),
        ("I live in Pune.", "I moved to Oslo."),
        ("We use npm.", "We switched from npm to pnpm."),
        ("We use Jenkins for builds.", "Jenkins was replaced by Buildkite for builds"),
        ("I drive a Volvo.", "I traded the Volvo for a Kia."),
        ("We use Redis.", "We no longer use Redis."),
        ("Tim works at Siemens.", "Tim left Siemens."),
        ("Our lawyer is Kim Tan.", "Our lawyer is Raj Patel now."),
        ("The rent is 900 euros.", "Rent went up to 950 euros."),
        ("The API listens on port 8080.", "The API listens on port 9090."),
        ("The API listens on port 8080.", "Correction: the API listens on port 9090."),
        ("Pool size is 10.", "pool size -> 20"),
        ("Staging runs Postgres 15.2.", "Actually, staging runs Postgres 16.1, not 15.2"),
    ] {
        assert_eq!(of(old, new), Verdict::Ends, "{old} / {new}");
    }
}

#[test]
fn a_memory_of_several_things_is_marked_and_stands() {
    let old = "We deploy with Kamal to Hetzner, never on Fridays.";
    assert_eq!(of(old, "We switched from Kamal to Coolify."), Verdict::MayEnd);
}

#[test]
fn values_are_compared_letter_for_letter() {
    for (old, new) in [
        ("Uses Python 3.1", "Uses Python 3.10"),
        ("The code is 00123", "The code is 123"),
        ("Data is in /srv/Data", "Data is in /srv/data"),
    ] {
        assert_ne!(of(old, new), Verdict::Same, "{old} / {new}");
    }
    assert_eq!(of("Ana lives in Oslo", "ana lives in oslo."), Verdict::Same);
}

#[test]
fn any_text_has_a_verdict_in_bounded_time() {
    let long = "the port of the api is 8080 and ".repeat(10_000);
    for text in ["", "a", "\u{1f600}\u{1f600}", "\u{6771}\u{4eac}", "?", &long, "from to", "not"] {
        for other in ["", "The port is 9090", &long, "from a to b", "scratch that", "no longer"] {
            let _ = (of(text, other), of(other, text));
        }
    }
}

#[test]
fn a_value_that_is_said_to_be_over_is_marked_and_the_future_ends_nothing() {
    for (old, new, expected) in [
        ("Staging runs on server h-3.", "Staging moved from h-3 to h-7.", Verdict::MayEnd),
        ("Ife plays chess.", "Ife gave up chess and does judo now.", Verdict::Ends),
        ("The rent is 1450 pounds.", "The rent is 1520 pounds from January.", Verdict::Unrelated),
    ] {
        assert_eq!(of(old, new), expected, "{old} / {new}");
    }
}
